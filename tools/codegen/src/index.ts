export { generate } from './generate.ts';
export type { GenerateOptions } from './generate.ts';
export { CodegenError } from './error.ts';
export type { CodegenErrorCode, SourcePlace } from './error.ts';
export type { GeneratedFile, Part } from './emit/options.ts';
export type { SourceText } from './crd/read.ts';
export { compareFolder, writeFolder } from './command/write.ts';
export type { Difference } from './command/write.ts';
export { formatDifferences } from './command/difference.ts';
