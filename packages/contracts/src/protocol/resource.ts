/** Resources and resource templates of servers, and the roots that servers get. */
import type { HostErrorJson } from "../errors/error.ts";
import type { JsonObject } from "../lib/json.ts";

/** A resource of a server. Its texts are untrusted. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: JsonObject;
}

/** A URI template (RFC 6570) for resources of a server. Its texts are untrusted. */
export interface ResourceTemplate extends Omit<Resource, "uri" | "size"> {
  readonly uriTemplate: string;
}

/** The content of a resource: text, or bytes in base64. */
export type ResourceContents = JsonObject & { readonly uri: string } & (
    | { readonly text: string }
    | { readonly blob: string }
  );

/** A list over several servers. A server that can't be listed is in `errors`; the list has the items of all others. */
export interface MultiServerList {
  readonly errors: { readonly [server: string]: HostErrorJson };
  /** Items that can't be used, with the reason. Absent if there are none. */
  readonly dropped?: readonly { readonly server: string; readonly name: string; readonly reason: string }[];
}

export interface ResourceList extends MultiServerList {
  readonly resources: readonly (Resource & { readonly server: string })[];
}

export interface ResourceTemplateList extends MultiServerList {
  readonly templates: readonly (ResourceTemplate & { readonly server: string })[];
}

/** A folder that a server may work in. */
export interface Root {
  /** A `file:` URL. */
  readonly uri: string;
  readonly name?: string;
}
