/** Where a server is and how to reach it: a definition with everything resolved. */
export type Target = StdioTarget | HttpTarget;

export interface StdioTarget {
  readonly transport: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
}

export interface HttpTarget {
  readonly transport: "http";
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
}
