// A plugin of TypeDoc: modules have the names by which they are imported, and say what their packages are for.
import { Comment, Converter, ReflectionKind } from 'typedoc';
import { modules } from './packages.js';

/** Called by TypeDoc. */
export function load({ converter }) {
  converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (reflection.kind !== ReflectionKind.Module) return;
    const file = context.getSymbolFromReflection(reflection)?.declarations?.[0]?.getSourceFile().fileName;
    const found = modules.find((one) => file?.endsWith(`/${one.file}`));
    if (found === undefined) throw new Error(`no package exports the module ${reflection.name} (${file})`);
    reflection.name = found.name;
    if (found.description !== '') reflection.comment = new Comment([{ kind: 'text', text: found.description }]);
  });
}
