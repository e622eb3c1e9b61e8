// The first half of `npm run synth`: what the controllers declare becomes the constructs' generated module, and what the definitions declare the program's.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kinds } from '@ordinal/reconcilers';
import { declaredControllers } from '../controllers.ts';
import { permissionsOf } from '../permissions/installed.ts';
import { version } from '../version.ts';
import { fieldsModule, fieldsOfDefinitions } from './fields.ts';
import { generatedModule } from './generated.ts';

writeFileSync(
  join(import.meta.dirname, '../../../../libs/constructs/src/install/generated/permissions.ts'),
  generatedModule(version, permissionsOf(declaredControllers(kinds))),
);

const generated = join(import.meta.dirname, '../startup/generated');
mkdirSync(generated, { recursive: true });
writeFileSync(join(generated, 'fields.ts'), fieldsModule(fieldsOfDefinitions()));
