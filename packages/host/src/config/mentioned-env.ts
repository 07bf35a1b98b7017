/** Of an environment, only what a workspace's config needs: where its files lie, and the variables they name. */
import { textsOf } from "./definition-values.ts";
import { readConfig } from "./read-config.ts";
import type { ReadConfigOptions } from "./read-config.ts";
import type { Invocation } from "./read-layer.ts";
import { referencesIn } from "./references.ts";

type Env = { readonly [name: string]: string | undefined };

const PLACES = ["PLUGBOARD_CONFIG_PATH", "XDG_CONFIG_HOME", "APPDATA"];

/** What waits for trust counts too: whoever holds the trust decides, and that need not be us. */
export async function mentionedEnv(
  spec: Invocation,
  env: Env,
  options: ReadConfigOptions = {},
): Promise<{ [name: string]: string }> {
  const { servers, pending } = await readConfig(spec, env, options);
  const named = [...servers.values(), ...pending]
    .flatMap(({ definition }) => ("invalid" in definition ? [] : textsOf(definition)))
    .flatMap(referencesIn);
  const wanted = new Set([...PLACES, ...named.map(({ name }) => name)]);
  return Object.fromEntries(
    [...wanted].flatMap((name) => {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
