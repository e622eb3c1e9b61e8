const longestSubject = 120;

/** Subjects that git writes itself, or that a rebase folds into another commit. */
const written = /^(Merge|Revert|fixup!|squash!|amend!) /;

/**
 * What is wrong with a commit message, one sentence each; empty where it is as CONTRIBUTING.md asks:
 * `Scope: what changes`, an empty line, and a body that says why. Comment lines of git do not count.
 */
export function checkCommitMessage(message: string): string[] {
  const lines = withoutComments(message);
  const subject = lines[0] ?? '';
  if (written.test(subject)) return [];
  const errors: string[] = [];
  if (!/^[A-Z][^:]*: \S/.test(subject)) errors.push('The subject must be "Scope: what changes".');
  if (subject.length > longestSubject) errors.push(`The subject must have at most ${longestSubject} characters.`);
  if (lines.length > 1 && lines[1] !== '') errors.push('The line after the subject must be empty.');
  if (!lines.slice(2).some((line) => /\S/.test(line))) errors.push('The body must say why the change is made.');
  return errors;
}

function withoutComments(message: string): string[] {
  const [text = ''] = message.split(/^# -+ >8 -+$/m);
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.trimEnd());
}
