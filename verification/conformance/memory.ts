// Loaded into `ordinal-simulate` before it begins: says how much memory it holds, whenever its parent asks.
process.on('message', () => {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  process.send?.({ heapUsed, rss });
});
// Waiting for questions keeps no process alive.
process.channel?.unref();
