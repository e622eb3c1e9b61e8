// Draws what `kubectl ordinal` prints: `node --conditions=ordinal-source tools/pictures/main.ts` writes the drawings in docs/images.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pictures } from './pictures.ts';

const folder = join(import.meta.dirname, '../../docs/images');
for (const { file, draw } of pictures) writeFileSync(join(folder, file), await draw());
