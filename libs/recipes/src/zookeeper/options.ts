/** Who may change the members of a `ZookeeperStore`. */
export interface ZookeeperAuth {
  /**
   * The Secret, in the same namespace, with `super-password` (letters, digits, `-` and `_`): that of the user `super`, by whom members are added and removed. It may do
   * everything; clients need no password unless they set ACLs.
   */
  readonly secretName: string;
}

/** What a `ZookeeperStore` is made of. */
export interface ZookeeperStoreOptions {
  /** The name of the resource, of its Services, and the first part of the members' names. */
  readonly name: string;
  /** How many members: an odd number. 3 by default. */
  readonly replicas?: number;
  /** The image's repository, without a tag. `docker.io/library/zookeeper` by default. */
  readonly image?: string;
  /** The version to run: the tag of the image, such as `3.8.4`. */
  readonly version: string;
  /** The image with busybox, linked statically, whose shell and tools the scripts use. `docker.io/library/busybox:1.37-musl` by default. */
  readonly shellImage?: string;
  /** The volume of each member. */
  readonly storage: { readonly className: string; readonly size: string };
  /** The password by which members are added and removed. */
  readonly auth: ZookeeperAuth;
  /** The most memory that the server's heap takes, such as `2g`. `1g` by default. All data is in it. */
  readonly heap?: string;
  /** Settings of the server, such as `{ initLimit: '30', 'autopurge.snapRetainCount': '5' }`. A change of them is an upgrade. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What each member asks for and may use. */
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
}
