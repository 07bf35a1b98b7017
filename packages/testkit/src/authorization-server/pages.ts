/** The login and consent pages of the authorization server. They load no other files. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Interaction, Provider } from "oidc-provider";

const DENIED = { error: "access_denied", error_description: "The user denied access" };

/** Shows the page of an interaction, or continues when its form is submitted. */
export async function handleInteraction(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  form: { readonly [name: string]: string },
): Promise<void> {
  const interaction = await provider.interactionDetails(request, response);
  if (request.method !== "POST") {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(interaction.prompt.name === "login" ? loginPage() : consentPage(interaction));
    return;
  }
  const login = { login: { accountId: form["user"] ?? "" } };
  const consent = async () => ({ consent: { grantId: await grantConsent(provider, interaction) } });
  const result = form["do"] === "deny" ? DENIED : form["do"] === "login" ? login : await consent();
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
}

/** Wraps a form or a text in a page. */
export function htmlPage(title: string, content: string): string {
  return `<!doctype html><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${content}`;
}

function loginPage(): string {
  const user = '<label>User <input name="user" autocomplete="off"></label>';
  return htmlPage("Log in", `<form method="post">${user}<button name="do" value="login">Log in</button></form>`);
}

function consentPage({ params, prompt }: Interaction): string {
  const request = `<p>${escapeHtml(params.client_id)} wants ${escapeHtml(JSON.stringify(prompt.details))}</p>`;
  const buttons = '<button name="do" value="allow">Allow</button><button name="do" value="deny">Deny</button>';
  return htmlPage("Allow?", `${request}<form method="post">${buttons}</form>`);
}

/** Grants everything that is requested, in addition to earlier grants. */
async function grantConsent(provider: Provider, { prompt, params, session, grantId }: Interaction): Promise<string> {
  const existing = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant = existing ?? new provider.Grant({ accountId: session?.accountId, clientId: params.client_id });
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details;
  if (missingOIDCScope.length > 0) grant.addOIDCScope(missingOIDCScope.join(" "));
  for (const [resource, scopes] of Object.entries(missingResourceScopes)) {
    grant.addResourceScope(resource, scopes.join(" "));
  }
  return grant.save();
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
