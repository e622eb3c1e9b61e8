/** What is no package: a program, an example, or a part of the checks. */
export interface Program {
  readonly name: string;
  /** From the root of the repository. */
  readonly folder: string;
  /** The names of the projects that it may import or run. */
  readonly dependencies: readonly string[];
}
/** All projects that are no packages. */
export declare const programs: readonly Program[];
/** Where the files of a project are, from the root. */
export declare function folderOf(name: string): string;
/** A pattern of the paths by which files elsewhere import those of a project. */
export declare function pathsInto(name: string): string;
