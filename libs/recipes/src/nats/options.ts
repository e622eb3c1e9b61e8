/** Who may connect to a `NatsStore`. */
export interface NatsAuth {
  /**
   * The Secret, in the same namespace, with `system-password`, by which members and their scripts reach the system account (letters, digits, `-` and `_`), and
   * `accounts.conf`: the accounts of clients in the server's words, such as `SHOP: { jetstream: enabled, users: [ { user: shop, password: "$2a$…" } ] }`.
   */
  readonly secretName: string;
}

/** What a `NatsStore` is made of. */
export interface NatsStoreOptions {
  /** The name of the resource, of its Services, and the first part of the members' names. */
  readonly name: string;
  /** How many members: an odd number. 3 by default. */
  readonly replicas?: number;
  /** The image's repository, without a tag. `docker.io/library/nats` by default. */
  readonly image?: string;
  /** The version to run: the tag of the image, such as `2.10.27`. */
  readonly version: string;
  /** The image with busybox, linked statically, whose shell runs the scripts: NATS' own has none. `docker.io/library/busybox:1.37-musl` by default. */
  readonly shellImage?: string;
  /** The volume of each member. Streams may take four fifths of it. */
  readonly storage: { readonly className: string; readonly size: string };
  /** The accounts of clients, and the password of the system account. */
  readonly auth: NatsAuth;
  /** Settings of the server, such as `{ max_payload: '8MB', 'jetstream.sync_interval': 'always' }`. A change of them is an upgrade. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What each member asks for and may use. */
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
}
