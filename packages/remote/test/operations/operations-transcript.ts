/** Runs operations one after another and records their results and errors. Equal behaviour gives equal records. */
import { isHostError } from "@plugboard/contracts";
import type { Operations } from "@plugboard/contracts";
import type { Home } from "./operations-ways.ts";

export interface Step {
  readonly method: string;
  readonly result?: unknown;
  readonly error?: unknown;
}

type Arguments<Name extends keyof Operations> = Parameters<Operations[Name]>;
type Result<Name extends keyof Operations> = Awaited<ReturnType<Operations[Name]>>;

export class Transcript {
  readonly steps: Step[] = [];
  readonly #operations: Operations;
  /** Texts that differ from run to run, with their replacements. */
  readonly #places: readonly (readonly [string, string])[];

  constructor(operations: Operations, home: Home, registry: string) {
    this.#operations = operations;
    this.#places = [
      [home.env["HOME"]!, "~"],
      [registry, "<registry>"],
    ];
  }

  /** Calls an operation and records its result or its error. Throws the error. */
  async call<Name extends keyof Operations>(method: Name, ...args: Arguments<Name>): Promise<Result<Name>> {
    try {
      const operation = this.#operations[method] as (...args: Arguments<Name>) => Promise<Result<Name>>;
      const result = await operation(...args);
      this.steps.push({ method, result: this.#normalize(result) });
      return result;
    } catch (thrown) {
      if (!isHostError(thrown)) throw thrown;
      const { code, details } = thrown.toJSON();
      this.steps.push({ method, error: this.#normalize({ code, details }) });
      throw thrown;
    }
  }

  /** Calls an operation that is expected to fail. */
  async fail<Name extends keyof Operations>(method: Name, ...args: Arguments<Name>): Promise<void> {
    const failed = await this.call(method, ...args).then(
      () => false,
      () => true,
    );
    if (!failed) throw new Error(`${method} did not fail`);
  }

  /** Replaces what differs from run to run: the home, ids, tokens, hashes, times and durations. */
  #normalize(value: unknown): unknown {
    const text = JSON.stringify(value ?? null, (key, member: unknown) => {
      if (typeof member === "number" && /(?:At|Ms)$/.test(key)) return "<time>";
      if (key === "plan" && typeof member === "string") return "<plan>";
      // Snippets with a URL are left out, because only a host with a port has them.
      if (key === "snippets") return (member as readonly { transport: string }[]).filter(isCommand);
      if (key === "running" || key === "endpoint" || key === "sandboxOrigin") return undefined;
      return member;
    });
    const placed = this.#places.reduce((replaced, [place, name]) => replaced.replaceAll(place, name), text);
    return JSON.parse(
      placed
        .replaceAll(/plugboard_[\w-]{43}/g, "<token>")
        .replaceAll(/[0-9a-f]{64}/g, "<hash>")
        .replaceAll(/[0-9a-f]{16}(?=-|\\?")/g, "<id>"),
    ) as unknown;
  }
}

function isCommand({ transport }: { readonly transport: string }): boolean {
  return transport === "stdio";
}
