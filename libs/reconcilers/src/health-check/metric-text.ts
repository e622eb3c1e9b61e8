/** A sample of a metric. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const escapes: Readonly<Record<string, string>> = { '\\\\': '\\', '\\"': '"', '\\n': '\n' };

function labelsOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"/g)];
  return Object.fromEntries(
    pairs.map(([, key = '', value = '']) => [
      key,
      value.replace(/\\[\\"n]/g, (escaped) => escapes[escaped] ?? escaped),
    ]),
  );
}

const special: Readonly<Record<string, number>> = { '+Inf': Infinity, Inf: Infinity, '-Inf': -Infinity, NaN: NaN };

/** The samples of one metric in Prometheus' text format. Lines that can't be read are passed over. */
export function samplesOf(text: string, name: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith(name)) continue;
    const match = /^([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})?\s+(\S+)/.exec(line);
    if (match?.[1] !== name) continue;
    const value = special[match[3] ?? ''] ?? Number(match[3]);
    if (match[3] === 'NaN' || !Number.isNaN(value)) samples.push({ name, labels: labelsOf(match[2] ?? ''), value });
  }
  return samples;
}
