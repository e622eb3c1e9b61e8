/** What a `KafkaStore` is made of. */
export interface KafkaStoreOptions {
  /** The name of the resource, of its Services, and the first part of the members' names. */
  readonly name: string;
  /** How many members: an odd number. 3 by default. */
  readonly replicas?: number;
  /** The image's repository, without a tag. `docker.io/apache/kafka` by default. */
  readonly image?: string;
  /** The version to run: the tag of the image, such as `4.2.1`. 4.1 is the oldest. */
  readonly version: string;
  /** The image with busybox, linked statically, whose shell and tools the scripts use. `docker.io/library/busybox:1.37-musl` by default. */
  readonly shellImage?: string;
  /** The volume of each member. */
  readonly storage: { readonly className: string; readonly size: string };
  /** The heap that the server takes, such as `4g`. `1g` by default. What it caches of the log is beside it. */
  readonly heap?: string;
  /** Settings of the server, such as `{ 'log.retention.hours': '72' }`. A change of them is an upgrade. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What each member asks for and may use. */
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
}
