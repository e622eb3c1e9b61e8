import fc from 'fast-check';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { comment, jsonLiteral, lineWidth, propertyKey, stringLiteral } from './text.ts';

/** Text made of what breaks out of comments and strings. */
const hostile = fc
  .array(
    fc.constantFrom(
      '*/',
      '/*',
      '*',
      '/',
      '@',
      '@type ',
      '{@link ',
      '`',
      '${',
      "'",
      '"',
      '\\',
      '\n',
      '\r',
      '\u2028',
      '\0',
      '\u202e',
      ' ',
      'a',
      'é',
      '\ud800',
    ),
  )
  .map((parts) => parts.join(''));

const tokensOf = (text: string): ts.SyntaxKind[] => {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, text);
  const tokens: ts.SyntaxKind[] = [];
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    if (token !== ts.SyntaxKind.WhitespaceTrivia && token !== ts.SyntaxKind.NewLineTrivia) tokens.push(token);
  }
  return tokens;
};

describe('a comment', () => {
  test('is one comment whatever its text', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1 }), (paragraphs) => {
        const text = comment(paragraphs.map((paragraph) => paragraph.replaceAll('\0', '')));
        expect(tokensOf(text)).toEqual(text === '' ? [] : [ts.SyntaxKind.MultiLineCommentTrivia]);
      }),
    );
  });

  test('has no tags but ours', () => {
    fc.assert(
      fc.property(hostile, (words) => {
        const source = `${comment([words.replaceAll('\0', ''), '\0@immutable'])}export const x = 1;`;
        const [statement] = ts.createSourceFile('x.ts', source, ts.ScriptTarget.Latest, true).statements;
        expect(statement === undefined ? [] : ts.getJSDocTags(statement).map((tag) => tag.tagName.text)).toEqual([
          'immutable',
        ]);
      }),
    );
  });

  test('keeps lists and code, joins what is one paragraph, and fits the width', () => {
    const long = Array.from({ length: 60 }, () => 'word').join(' ');
    const text = comment([`One\nline.\n\n- first\n- second\n\n${long}`]);
    expect(text.split('\n').slice(0, 5)).toEqual(['/**', ' * One line.', ' *', ' * - first', ' * - second']);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(lineWidth);
  });

  test('is nothing for no text', () => {
    expect(comment(['', '  \n'])).toBe('');
  });
});

/** Any UTF-16 code units, lone surrogates among them. */
const anyUnits = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));

const valueOf = (expression: string): unknown => (0, eval)(`(${expression})`) as unknown;

describe('a literal', () => {
  test('has the value of the string', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, anyUnits), (text) => {
        expect(valueOf(stringLiteral(text))).toBe(text);
      }),
    );
  });

  test('has the value of any JSON, __proto__ among the keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.stringify(valueOf(jsonLiteral(value)))).toBe(JSON.stringify(value));
      }),
    );
    const pollution = JSON.parse('{"__proto__":{"x":1}}') as object;
    expect(Object.keys(valueOf(jsonLiteral(pollution)) as object)).toEqual(['__proto__']);
  });
});

test('a property key is quoted where it is no identifier, and is never another key', () => {
  expect(['a', '$ref', '1st', 'a-b', '', 'kubernetes.io/os', "it's", 'ключ'].map(propertyKey)).toEqual([
    'a',
    '$ref',
    "'1st'",
    "'a-b'",
    "''",
    "'kubernetes.io/os'",
    '"it\'s"',
    "'ключ'",
  ]);
});
