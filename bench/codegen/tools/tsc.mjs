import { createRequire } from 'node:module';

// The compiler, with the processor time that it took as the last line of standard error.
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write(`\n${JSON.stringify({ cpuSeconds: (user + system) / 1e6 })}\n`);
});
createRequire(import.meta.url)('../../../node_modules/typescript/lib/tsc.js');
