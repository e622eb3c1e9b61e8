import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { compile } from 'json-schema-to-typescript';
import { measure } from '../measure.mjs';

// With the options without which it does not end on some CRDs, and without prettier.
const options = { ignoreMinAndMaxItems: true, format: false, additionalProperties: false, bannerComment: '' };

await measure(async ({ file, text }, out) => {
  for (const crd of loadAll(text).filter(Boolean)) {
    for (const version of crd.spec.versions.filter(({ served }) => served !== false)) {
      const code = await compile(version.schema.openAPIV3Schema, crd.spec.names.kind, options);
      writeFileSync(join(out, `${file.replace(/\.yaml$/, '')}-${version.name}.ts`), code);
    }
  }
});
