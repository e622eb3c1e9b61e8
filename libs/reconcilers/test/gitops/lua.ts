import { lauxlib, lua, lualib, to_jsstring, to_luastring } from 'fengari';

/** A script of Argo CD, and what to print of its result. */
export interface Script {
  readonly script: string;
  /** An expression of Lua, which is a text: of the variable `result`. */
  readonly prints: string;
}

/** Runs a script as Argo CD does: with `obj`, the basic library, tables, and of `os` the time and the date. Throws where it is wrong. */
export function runLua(obj: object, { script, prints }: Script): string {
  const state = lauxlib.luaL_newstate();
  const { luaopen_base: base, luaopen_table: table, luaopen_os: os } = lualib;
  for (const [name, open] of Object.entries({ _G: base, table, os }))
    lauxlib.luaL_requiref(state, to_luastring(name), open, 1);
  const text = [
    'local safe = { time = os.time, date = os.date }; os = safe',
    'function require(name) if name == "os" then return safe end; error("there is no module " .. name) end',
    `obj = ${asLua(obj)}`,
    `local result = (function()\n${script}\nend)()`,
    `return ${prints}`,
  ].join('\n');
  const failed = lauxlib.luaL_dostring(state, to_luastring(text));
  const said = to_jsstring(lua.lua_tostring(state, -1));
  if (failed) throw new RangeError(said);
  return said;
}

/** A value of JSON as a constructor of Lua. */
function asLua(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(asLua).join(',')}}`;
  if (typeof value !== 'object' || value === null) return value === null ? 'nil' : (JSON.stringify(value) ?? 'nil');
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return `{${entries.map(([key, part]) => `[${JSON.stringify(key)}]=${asLua(part)}`).join(',')}}`;
}
