/** `fetch` as far as the simulated network offers it. */
export type FetchLike = (
  url: string | URL,
  init?: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly signal?: AbortSignal;
  },
) => Promise<Response>;
