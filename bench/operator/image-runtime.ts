/** Prints how the operator's image starts its program, as a shell reads it: the environment, and Node's flags in the array `flags`. */
import { runtime } from '../../tools/workspace/image/operator-image.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
console.log(runtime.environment.map((variable) => `export ${quoted(variable)}`).join('\n'));
console.log(`flags=(${runtime.flags.map(quoted).join(' ')})`);
