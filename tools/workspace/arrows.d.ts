/** For each type of package, the types that it may import. */
export declare const arrows: Readonly<Record<string, readonly string[]>>;
