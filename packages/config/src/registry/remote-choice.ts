/**
 * Turns a remote of a registry's server into a choice: a template of a config entry and its inputs, or why it is not
 * supported.
 */
import { ChoiceInputs } from "./choice-inputs.ts";
import type { RegistryRemote } from "./registry-server.ts";
import type { ServerChoice } from "./server-choice.ts";

const TRANSPORTS: { readonly [type: string]: "http" | "sse" } = { "streamable-http": "http", sse: "sse" };

export function remoteChoice({ type, url, headers, variables }: RegistryRemote): ServerChoice {
  const label = `URL ${url}`;
  const transport = Object.hasOwn(TRANSPORTS, type) ? TRANSPORTS[type] : undefined;
  if (!transport) return { label, unsupported: `Plugboard does not support the transport ${type}` };
  if (!/^https?:\/\/|^\{/i.test(url)) return { label, unsupported: "its URL is neither http nor https" };
  const broken = headers.find(({ name, value, default: fallback }) =>
    /[\r\n\0]/.test([name, value, fallback].join("")),
  );
  if (broken) return { label, unsupported: `the header ${broken.name} contains a line break or NUL` };
  const inputs = new ChoiceInputs();
  // The entry is useless without its URL, so all of its variables are required.
  const urlTemplate = inputs.value({ required: true, secret: false, format: "string", value: url, variables }, "url", {
    where: "url",
  });
  const template = { transport, url: urlTemplate, headers: inputs.pairs(headers, "header") };
  return { label, template, inputs: inputs.list };
}
