import { svelte } from '@sveltejs/vite-plugin-svelte';
import react from '@vitejs/plugin-react';
import vue from '@vitejs/plugin-vue';

export default {
  plugins: [react(), vue(), svelte()],
  // The packages are a link to where they were installed.
  server: { fs: { strict: false }, warmup: { clientFiles: ['./src/**'] } },
};
