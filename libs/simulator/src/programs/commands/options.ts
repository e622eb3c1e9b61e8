/** The options of a command, and its other arguments. */
export interface Options {
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly rest: readonly string[];
}

/**
 * Takes arguments apart. `valued` names the options that a value follows, without their dashes; letters may stand together (`-qO-`). An option without a
 * value has an empty one.
 */
export function optionsOf(args: readonly string[], valued: ReadonlySet<string>): Options {
  const values = new Map<string, string[]>();
  const rest: string[] = [];
  const left = [...args];
  const put = (name: string, value: string): void => void values.set(name, [...(values.get(name) ?? []), value]);
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word.startsWith('--')) {
      const [name = '', ...value] = word.slice(2).split('=');
      put(name, word.includes('=') ? value.join('=') : valued.has(name) ? (left.shift() ?? '') : '');
    } else if (word.length > 1 && word.startsWith('-')) {
      for (let at = 1; at < word.length; at += 1) {
        const letter = word[at] ?? '';
        if (!valued.has(letter)) put(letter, '');
        else {
          put(letter, word.slice(at + 1) || (left.shift() ?? ''));
          break;
        }
      }
    } else rest.push(word);
  }
  return { values, rest };
}
