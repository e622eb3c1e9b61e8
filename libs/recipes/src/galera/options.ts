/** The passwords that members have and use. */
export interface GaleraAuth {
  /**
   * The Secret, in the same namespace, with `root-password`, that of the user `root`, and `member-password` (letters, digits, `-` and `_`), by which members copy one another.
   * Both are read when the cluster is founded; the second one at each start as well.
   */
  readonly secretName: string;
}

/** Where a `GaleraStore` keeps its backups. */
export interface GaleraBackup {
  /** The volume claim that Jobs write to, in the same namespace. Backups are in `NAMESPACE/NAME/BACKUP` there. */
  readonly claimName: string;
  /** A schedule in Cron format. On demand only when left out. */
  readonly cron?: string;
  /** The backup that the new cluster begins with, as `status.backups[].location` of the former one says. */
  readonly restoreFrom?: string;
}

/** What a `GaleraStore` is made of. */
export interface GaleraStoreOptions {
  /** The name of the resource, of its Services, and the first part of the members' names. */
  readonly name: string;
  /** How many members: an odd number. 3 by default. */
  readonly replicas?: number;
  /** The image's repository, without a tag. `docker.io/library/mariadb` by default. */
  readonly image?: string;
  /** The version to run: the tag of the image, such as `11.8.3`. An older one than that of the data is not started with it. */
  readonly version: string;
  /** The image with busybox, linked statically, whose shell runs the scripts. `docker.io/library/busybox:1.37-musl` by default. */
  readonly shellImage?: string;
  /** The volume of each member. */
  readonly storage: { readonly className: string; readonly size: string };
  /** The passwords of `root` and of the members. */
  readonly auth: GaleraAuth;
  /** How much of what was written each member keeps for others that were away, such as `1G`. `128M` by default. One that lacks more copies everything. */
  readonly cache?: string;
  /** Settings of the server, such as `{ innodb_buffer_pool_size: '4G' }`. A change of them is an upgrade. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What each member asks for and may use. */
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
  /** Without it there are no backups, and a deletion leaves the volumes. */
  readonly backup?: GaleraBackup;
}
