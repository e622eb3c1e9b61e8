/** The passwords that members have and use. */
export interface PostgresqlAuth {
  /** The Secret with the passwords, in the same namespace. */
  readonly secretName: string;
  /** The key of the password of the superuser `postgres`. `superuser-password` by default. */
  readonly superuserKey?: string;
  /** The key of the password of `replicator`, by which members copy one another. `replication-password` by default. */
  readonly replicationKey?: string;
}

/** Where a `PostgresqlStore` keeps its backups. */
export interface PostgresqlBackup {
  /** The volume claim that Jobs write to, in the same namespace. Backups are in `NAMESPACE/NAME/base/BACKUP` there. */
  readonly claimName: string;
  /** A schedule in Cron format. On demand only when left out. */
  readonly cron?: string;
  /** Whether members also write their log there, to `NAMESPACE/NAME/wal`: a point in time between backups can be restored then. The claim has to be `ReadWriteMany`. False by default. */
  readonly archive?: boolean;
  /** The backup that the new cluster begins with, as `status.backups[].location` of the former one says. */
  readonly restoreFrom?: string;
  /** The time to restore, such as `2026-05-01 12:30:00+00`, later than the end of that backup. With everything that was archived when left out. */
  readonly restoreTo?: string;
}

/** What a `PostgresqlStore` is made of. */
export interface PostgresqlStoreOptions {
  /** The name of the resource, of its Services, and the first part of the members' names. */
  readonly name: string;
  /** How many members: one that leads, and its standbys. 3 by default. */
  readonly replicas?: number;
  /** The image's repository, without a tag. `docker.io/library/postgres` by default. */
  readonly image?: string;
  /** The version to run: the tag of the image, such as `17.6`. Another major version than that of the data is refused. */
  readonly version: string;
  /** The image with busybox, linked statically, whose programs the scripts use. `docker.io/library/busybox:1.37-musl` by default. */
  readonly shellImage?: string;
  /** The volume of each member. */
  readonly storage: { readonly className: string; readonly size: string };
  /** The passwords of the superuser and for replication. */
  readonly auth: PostgresqlAuth;
  /** TLS for clients and among the members, with the certificate of this Secret (`ca.crt`, `tls.crt`, `tls.key`). Certificates of clients are not asked for. */
  readonly tls?: { readonly secretName: string };
  /** Settings of the server, such as `{ max_connections: '200' }`. A change of them is an upgrade. */
  readonly settings?: Readonly<Record<string, string>>;
  /** After how many seconds without an answer of the member that leads the others elect another one. 10 by default. */
  readonly failoverSeconds?: number;
  /** What each member asks for and may use. */
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
  /** Without it there are no backups, and a deletion leaves the volumes. */
  readonly backup?: PostgresqlBackup;
}
