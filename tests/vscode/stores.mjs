// What VS Code has written down in the browser, which it does when it finds the time: what a window that is reloaded will know.

import { eventually, page } from "./browser.mjs";

/** Waits until VS Code has written such a text down. */
export async function kept(text) {
  await eventually(async () => {
    if (!(await page.evaluate(isKept, text))) throw new Error(`VS Code does not write down ${text}`);
  });
}

/** In the page: whether VS Code has written such a text into one of its stores, where JSON is held as a text of JSON. */
async function isKept(text) {
  const done = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  for (const { name } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name));
    try {
      for (const store of database.objectStoreNames) {
        const values = await done(database.transaction(store).objectStore(store).getAll());
        if (values.some((it) => String(it).replaceAll("\\", "").includes(text))) return true;
      }
    } finally {
      database.close();
    }
  }
  return false;
}
