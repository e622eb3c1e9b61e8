// The first half of `npm run synth`: what the controllers declare and the dashboards become generated modules of the constructs, and what the definitions declare one
// of the program's.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kinds } from '@ordinal/reconcilers';
import { declaredControllers } from '../controllers.ts';
import { permissionsOf } from '../permissions/installed.ts';
import { version } from '../version.ts';
import { dashboards } from './dashboards/dashboards.ts';
import { fieldsModule, fieldsOfDefinitions } from './fields.ts';
import { generatedModule } from './generated.ts';

const constructs = join(import.meta.dirname, '../../../../libs/constructs/src/install/generated');
writeFileSync(join(constructs, 'permissions.ts'), generatedModule(version, permissionsOf(declaredControllers(kinds))));
writeFileSync(join(constructs, 'dashboards.json'), `${JSON.stringify(dashboards(), null, 1)}\n`);

const generated = join(import.meta.dirname, '../startup/generated');
mkdirSync(generated, { recursive: true });
writeFileSync(join(generated, 'fields.ts'), fieldsModule(fieldsOfDefinitions()));
