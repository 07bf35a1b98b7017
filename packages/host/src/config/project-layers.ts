/**
 * The layers of a project's files, each as it last could be read. Anybody who can
 * write into a project can break them, and must not thereby keep what the user's
 * own files say from taking effect: one that can't be read stands still alone, its
 * denials with it, and that is told. One object for each workspace.
 */
import { HostError } from "@plugboard/contracts";
import type { Layer, LayerOrigin } from "./read-layer.ts";
import { refusalProblem } from "./refusal-problem.ts";

export class ProjectLayers {
  readonly #good = new Map<string, Layer>();

  /** What is not there any more says nothing any more. */
  forgetAllBut(files: readonly string[]): void {
    for (const file of this.#good.keys()) if (!files.includes(file)) this.#good.delete(file);
  }

  async read(
    file: string,
    { source }: LayerOrigin,
    readNow: () => Promise<Layer | undefined>,
  ): Promise<Layer | undefined> {
    try {
      const layer = await readNow();
      if (layer) this.#good.set(file, layer);
      else this.#good.delete(file);
      return layer;
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== "CONFIG_INVALID") throw error;
      const good = this.#good.get(file);
      const instead = good ? "what was read before stays in effect" : "nothing in it is in effect";
      const still = good ?? { ...NOTHING, source, file };
      return { ...still, problems: [refusalProblem(error, instead), ...still.problems], refusal: error };
    }
  }
}

const NOTHING = { servers: [], switches: [], rules: [], naming: undefined, profiles: new Map(), problems: [] };
