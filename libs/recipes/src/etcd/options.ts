/** Where an `EtcdStore` keeps its backups. */
export interface EtcdBackup {
  /** The volume claim that Jobs write to, in the same namespace. Files are called `NAMESPACE/BACKUP.db` there. */
  readonly claimName: string;
  /** A schedule in Cron format. On demand only when left out. */
  readonly cron?: string;
  /** The backup that the new cluster begins with, as `status.backups[].location` of the former one says. */
  readonly restoreFrom?: string;
}

/** TLS among members and for clients. */
export interface EtcdTls {
  /** The Secret with `ca.crt`, `tls.crt` and `tls.key`, in the same namespace. Members prove to one another who they are by it: it has to be for servers and clients. */
  readonly secretName: string;
  /** Whether clients need a certificate of the same authority. False by default. */
  readonly clientCertificates?: boolean;
}

/** What an `EtcdStore` is made of. */
export interface EtcdStoreOptions {
  /** The name of the resource, of its Services, and the first part of the members' names. */
  readonly name: string;
  /** How many members: an odd number. 3 by default. */
  readonly replicas?: number;
  /** The image's repository, without a tag. `gcr.io/etcd-development/etcd` by default. */
  readonly image?: string;
  /** The version to run: the tag of the image, such as `v3.5.21`. */
  readonly version: string;
  /** The image with busybox, linked statically, whose shell runs the scripts: etcd's own has none. `docker.io/library/busybox:1.37-musl` by default. */
  readonly shellImage?: string;
  /** The volume of each member. */
  readonly storage: { readonly className: string; readonly size: string };
  /** Without it, every client that reaches a member may read and write. */
  readonly tls?: EtcdTls;
  /** Further flags of the server, such as `{ 'quota-backend-bytes': '8589934592' }`. A change of them is an upgrade. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What each member asks for and may use. */
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
  /** Without it there are no backups, and a deletion leaves the volumes. */
  readonly backup?: EtcdBackup;
}
