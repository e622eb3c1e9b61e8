/** Who may connect to a `RabbitmqStore`, and how its members reach one another. */
export interface RabbitmqAuth {
  /**
   * The Secret, in the same namespace, with `user` and `password` of the first user, which are read when the cluster is founded, and `erlang-cookie`, by which members and the
   * software's tools reach one another. Each is of letters, digits, `-` and `_`.
   */
  readonly secretName: string;
}

/** What a `RabbitmqStore` is made of. */
export interface RabbitmqStoreOptions {
  /** The name of the resource, of its Services, and the first part of the members' names. */
  readonly name: string;
  /** How many members: an odd number. 3 by default. */
  readonly replicas?: number;
  /** The image's repository, without a tag. `docker.io/library/rabbitmq` by default. */
  readonly image?: string;
  /** The version to run: the tag of the image, such as `4.3.6`. 4.0 is the oldest. */
  readonly version: string;
  /** The image with busybox, linked statically, whose shell runs the scripts. `docker.io/library/busybox:1.37-musl` by default. */
  readonly shellImage?: string;
  /** The volume of each member. */
  readonly storage: { readonly className: string; readonly size: string };
  /** The first user, and the members' cookie. */
  readonly auth: RabbitmqAuth;
  /** Plugins that the server runs, such as `['rabbitmq_management', 'rabbitmq_prometheus']`. A change of them is an upgrade. */
  readonly plugins?: readonly string[];
  /** Settings of the server, as lines of `rabbitmq.conf`, such as `{ 'disk_free_limit.absolute': '2GB' }`. A change of them is an upgrade. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What each member asks for and may use. The server takes the memory's limit for all that there is. */
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
}
