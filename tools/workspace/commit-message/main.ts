/** The commit-msg hook: `main.ts FILE` reads the message that git is about to commit, and fails where it is not in order. */
import { readFileSync } from 'node:fs';
import { checkCommitMessage } from './check.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: main.ts FILE');
const errors = checkCommitMessage(readFileSync(file, 'utf8'));
for (const error of errors) console.error(`commit message: ${error}`);
process.exitCode = errors.length > 0 ? 1 : 0;
