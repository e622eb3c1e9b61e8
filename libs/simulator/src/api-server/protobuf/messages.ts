import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import dumped from '../../builtin/protobuf.json' with { type: 'json' };
import { setField } from '../object.ts';
import type { JsonObject } from '../request.ts';
import { ownForms } from './own-forms.ts';

/** A field by its number: its name in JSON (empty where its own fields stand in its place), and its type (`[]` before it: repeated, `{}`: a map). */
type Field = readonly [name: string, type: string];
type Message = Readonly<Record<string, Field>>;

// The dump is our own: messages by the names of their definitions.
const messages = dumped as unknown as Readonly<Record<string, Message>>;

/** Whether a definition has a form in protobuf that is known here. */
export const hasMessage = (definition: string): boolean => Object.hasOwn(messages, definition);

/**
 * What a message of a built-in kind says, in the form of JSON. Zero values that Go always writes are in it: reading the object into its kind's type takes
 * them out. Throws where the bytes are no such message.
 */
export function readMessage(definition: string, bytes: Uint8Array): JsonObject {
  const message = messages[definition] ?? {};
  const reader = new BinaryReader(bytes);
  const object: JsonObject = {};
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    const field = message[String(number)];
    if (field === undefined) reader.skip(wire, number);
    else readField(object, field, { reader, wire });
  }
  return object;
}

interface Place {
  readonly reader: BinaryReader;
  readonly wire: WireType;
}

function readField(object: JsonObject, [name, type]: Field, { reader, wire }: Place): void {
  const plain = type.slice(2);
  if (type.startsWith('[]')) {
    const list = (object[name] ??= []) as unknown[];
    list.push(...readRepeated(plain, { reader, wire }));
  } else if (type.startsWith('{}')) {
    const map = (object[name] ??= {}) as JsonObject;
    const [key, value] = readEntry(plain, reader.bytes());
    setField(map, key, value);
  } else if (name === '') Object.assign(object, readMessage(type, reader.bytes()));
  else object[name] = readValue(type, reader);
}

/** Numbers may come packed: many in one piece. */
function readRepeated(type: string, { reader, wire }: Place): readonly unknown[] {
  if (wire !== WireType.LengthDelimited || !isNumber(type)) return [readValue(type, reader)];
  const packed = new BinaryReader(reader.bytes());
  const values: unknown[] = [];
  while (packed.pos < packed.len) values.push(readValue(type, packed));
  return values;
}

function readEntry(type: string, bytes: Uint8Array): readonly [key: string, value: unknown] {
  const entry = new BinaryReader(bytes);
  let key = '';
  let value: unknown = type === 'string' || type === 'bytes' ? '' : undefined;
  while (entry.pos < entry.len) {
    const [number, wire] = entry.tag();
    if (number === 1) key = entry.string();
    else if (number === 2) value = readValue(type, entry);
    else entry.skip(wire, number);
  }
  return [key, value ?? emptyValue(type)];
}

const emptyValue = (type: string): unknown =>
  type === 'bool' ? false : isNumber(type) ? 0 : valueOf(type, new Uint8Array());

const isNumber = (type: string): boolean => ['int32', 'int64', 'double', 'bool'].includes(type);

function readValue(type: string, reader: BinaryReader): unknown {
  switch (type) {
    case 'string':
      return reader.string();
    case 'bool':
      return reader.bool();
    case 'int32':
      return reader.int32();
    case 'int64':
      return Number(reader.int64());
    case 'double':
      return reader.double();
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64');
    default:
      return valueOf(type, reader.bytes());
  }
}

function valueOf(type: string, bytes: Uint8Array): unknown {
  const message = readMessage(type, bytes);
  const own = ownForms.get(type);
  return own === undefined ? message : own(message);
}
