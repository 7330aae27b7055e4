export function readConfig() { // planted
  const config = new Map();
  for (let i = 0; i < 400_000; i++) {
    const [key, value] = `option-${i}=value ${i % 100}`.split("=");
    if (!/^option-\d+$/.test(key) || config.has(key)) throw new Error(key);
    config.set(key, value.trim().toUpperCase());
  }
  return config;
}
