// What the tests use of fengari, which brings no types: strings of Lua are bytes.
declare module 'fengari' {
  interface State {
    readonly of: 'lua';
  }
  export const lua: { lua_tostring(state: State, index: number): Uint8Array };
  export const lauxlib: {
    luaL_newstate(): State;
    luaL_requiref(state: State, name: Uint8Array, open: (state: State) => number, isGlobal: 0 | 1): void;
    /** Whether it failed: then a message is on the stack. */
    luaL_dostring(state: State, text: Uint8Array): boolean;
  };
  export const lualib: Readonly<Record<'luaopen_base' | 'luaopen_table' | 'luaopen_os', (state: State) => number>>;
  export function to_luastring(text: string): Uint8Array;
  export function to_jsstring(bytes: Uint8Array): string;
}
