import type { HostErrorJson } from "../errors/error.ts";
import type { JsonObject } from "../lib/json.ts";

/** Something a server can be asked to read out. Everything in it is the word of an untrusted party. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: JsonObject;
}

/** A family of resources, named by a URI template (RFC 6570). */
export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: JsonObject;
}

/** What reading a resource gave: text, or bytes as base64. */
export type ResourceContents = JsonObject & { readonly uri: string } & (
    | { readonly text: string }
    | { readonly blob: string }
  );

/** What was found over several servers: what could not be had is named, and is no reason to withhold the rest. */
export interface MultiServerList {
  readonly errors: { readonly [server: string]: HostErrorJson };
  /** Offered but not usable; absent if there is none. */
  readonly dropped?: readonly { readonly server: string; readonly name: string; readonly reason: string }[];
}

export interface ResourceList extends MultiServerList {
  readonly resources: readonly (Resource & { readonly server: string })[];
}

export interface ResourceTemplateList extends MultiServerList {
  readonly templates: readonly (ResourceTemplate & { readonly server: string })[];
}
