import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { corpusOf } from './prose/corpus.ts';
import { definitionPassages } from './prose/definitions.ts';
import { pagePassages } from './prose/pages.ts';
import type { Passage } from './prose/passage.ts';
import { findingsIn, lineOf } from './prose/rules.ts';
import { sourcePassages } from './prose/sources.ts';
import { misspelt } from './prose/spelling.ts';

const root = join(import.meta.dirname, '../..');
const page = (text: string): readonly Passage[] => pagePassages('page.md', text);
const problems = (passages: readonly Passage[]): readonly string[] => passages.flatMap(findingsIn).map(lineOf);

const corpus = corpusOf(root);

/** In one run for all, as the dictionaries take most of its time. */
const unknownWords = misspelt(root, [
  ...page('# Words\n\nThe recieved object, and one of our behaviours.\n'),
  ...corpus,
]);

/** Sentences of the old style, each in the form in which it stood. */
const planted: readonly (readonly [string, readonly Passage[], string])[] = [
  [
    'a page',
    page('# Pods\n\nThe keeper is told when a pod goes.\n'),
    'page.md:3: “keeper”: write provider, controller',
  ],
  ['a list', page('- one\n- At that moment the pod is gone.\n'), 'page.md:2: “moment”: write time, or now'],
  ['a table', page('| a | b |\n|---|---|\n| x | it stays for ever |\n'), 'page.md:3: “for ever”: write forever'],
  ['a quote', page('> Whoever deletes it has decided.\n'), 'page.md:1: “Whoever”: write anyone who, whichever client'],
  ['a passive', page('Then it is waited until all have it.\n'), 'page.md:1: “it is waited”: say who does it'],
  ['the future', page('The pod will be deleted.\n'), 'page.md:1: “will be”: use the present tense'],
  ['a word twice', page('A reply that\nthat comes late.\n'), 'page.md:1: “that that”: a word twice'],
  ['a long sentence', page(`It waits${' and waits'.repeat(22)}.\n`), 'page.md:1: a sentence of 46 words: 45 at most'],
  [
    'a docstring',
    sourcePassages('a.ts', 'const x = 1;\n/** Tells of\n * each change. */\n', { messages: false }),
    'a.ts:2: “Tells”: write shows, reports, notifies',
  ],
  [
    'a message',
    sourcePassages('a.ts', 'throw new Error(`the pod ${name} is run anew`);\n', { messages: true }),
    'a.ts:1: “anew”: write again',
  ],
  [
    'a description',
    definitionPassages('crd.yaml', 'spec:\n  description: What should be.\n'),
    'crd.yaml:2: a description that begins with What: name the subject',
  ],
  [
    'half a description',
    definitionPassages('crd.yaml', 'status:\n  description: ClusteredCache\n'),
    'crd.yaml:2: a description that is no sentence',
  ],
  [
    'a word in place of a description',
    definitionPassages('crd.yaml', 'ordinal:\n  description: Ordinal.\n'),
    'crd.yaml:2: a description of one or two words: say of what',
  ],
];

/** Ten sentences as they stood in our pages before they were rewritten. */
const former = [
  'A rollback whose StatefulSet could not be written went to what somebody had set in it by hand.',
  "A StatefulSet that somebody else's finalizer keeps held up a deletion, and nothing told of it.",
  'The hand-over told the followers by name, and waited two seconds for one whose name was still that of the pod before.',
  'Where some of those that were counted were taken away by a reduction, it is counted anew.',
  'Nothing has to be written when the clock was set back: a reservation with a moment in the far future stands no longer than any other.',
  'Who is suspended, or older, has no gate, and whoever drains gets all at once.',
  "It is a member no more: it is let go, so that it ends when it is deleted and its name is free, and that is told as an event's cause.",
  'Where the role can’t be kept because nobody says who leads, it goes next.',
  'As for all trouble that lasts, the event is published again about every half hour, since events live an hour.',
  'Every call ends at its deadline, retries included: 60 s unless told, and its signal ends it at once.',
];

describe('the prose lint', () => {
  test.each(former)('refuses a sentence of the former pages: %s', (sentence) => {
    expect(problems(page(`${sentence}\n`))).not.toEqual([]);
  });

  test.each(planted)('finds the old style in %s', (_, passages, line) => {
    expect(problems(passages)).toContain(line);
  });

  test('finds a word that is misspelt, and where', () => {
    expect(unknownWords.filter(({ file }) => file === 'page.md').map(lineOf)).toEqual([
      'page.md:3: “recieved”: in no dictionary',
      'page.md:3: “behaviours”: in no dictionary',
    ]);
  });

  test('passes over code, commands, comments and quoted titles', () => {
    const text =
      '<!-- told -->\n\nThe `keeper`, [a link](anew.md) and “a title that is told”.\n\n- item\n\n  ```sh\n  shall anew\n  ```\n';
    expect(problems(page(text))).toEqual([]);
  });
});

describe('pages, docstrings, messages and descriptions', () => {
  test('are all read', () => {
    const kinds = Map.groupBy(corpus, ({ kind }) => kind);
    expect(kinds.get('page')?.length).toBeGreaterThan(3000);
    expect(kinds.get('docstring')?.length).toBeGreaterThan(8000);
    for (const folder of ['libs', 'apps', 'tools', 'verification', 'bench', 'examples'])
      expect(kinds.get('docstring')?.some(({ file }) => file.startsWith(`${folder}/`))).toBe(true);
    expect(kinds.get('message')?.length).toBeGreaterThan(700);
    expect(kinds.get('description')?.length).toBeGreaterThan(500);
  });

  test('are short sentences in the words of the glossary', () => {
    expect(problems(corpus)).toEqual([]);
  });

  test('have words that a dictionary knows, or tools/workspace/prose/spelling.txt', () => {
    expect(unknownWords.filter(({ file }) => file !== 'page.md').map(lineOf)).toEqual([]);
  });
});
