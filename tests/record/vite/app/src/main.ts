import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { mount } from 'svelte';
import { createApp } from 'vue';
import App from './react/App';
import Shop from './svelte/Shop.svelte';
import Table from './vue/Table.vue';
import { burn } from './work';

const of = (id: string): HTMLElement => document.getElementById(id)!;

function mountReact(): void {
  burn({ ms: 20 });
  createRoot(of('react')).render(createElement(App, { title: 'Cart' }));
}
const mountVue = (): void => {
  burn({ ms: 20 });
  createApp(Table).mount('#vue');
};
const mountSvelte = () => {
  burn({ ms: 20 });
  mount(Shop, { target: of('svelte') });
};

burn({ ms: 30 });
mountReact(), mountVue(), mountSvelte();
