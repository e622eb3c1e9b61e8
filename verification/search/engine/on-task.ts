/**
 * Has a process do what it is sent, one task after the other. A task that waits for what never comes ends the process: while one runs, the channel to the parent does not keep it, and
 * nothing else does.
 */
export function onTask<Task>(run: (task: Task) => Promise<void>): void {
  process.on('message', (task: Task) => {
    process.channel?.unref();
    void run(task).finally(() => process.channel?.ref());
  });
}
