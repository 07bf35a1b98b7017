/** Environment variables by name, such as `process.env`. */
export type Env = { readonly [name: string]: string | undefined };
