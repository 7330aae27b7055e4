// The texts themselves.

export const messages: Record<string, Record<string, string>> = {
  en: {
    "line.count.one": "{count} article",
    "line.count.many": "{count} articles",
    "order.count.one": "{count} order",
    "order.count.many": "{count} orders",
    "product.count.many": "{count} products",
    "page.home": "Welcome",
    "page.search": "{count} products found",
    "time.today": "today",
    "time.days.one": "yesterday",
    "time.days.many": "{count} days ago",
  },
  de: {
    "line.count.one": "{count} Artikel",
    "line.count.many": "{count} Artikel",
    "page.home": "Willkommen",
    "page.search": "{count} Treffer",
    "time.today": "heute",
    "time.days.one": "gestern",
    "time.days.many": "vor {count} Tagen",
  },
  ja: {},
};
