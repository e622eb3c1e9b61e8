/** The value of a flag of a command, given as `--name=value` or `--name value`; undefined where it is not given. */
export function flagOf(command: readonly string[], name: string): string | undefined {
  for (const [index, word] of command.entries()) {
    if (word.startsWith(`--${name}=`)) return word.slice(name.length + 3);
    if (word === `--${name}`) {
      const next = command[index + 1];
      return next === undefined || next.startsWith('--') ? 'true' : next;
    }
  }
  return undefined;
}

/** A number that a flag gives, or another one. */
export function numberOf(command: readonly string[], name: string, otherwise: number): number {
  const given = flagOf(command, name);
  return given === undefined ? otherwise : Number(given);
}
