/**
 * Some values in a definition look like secrets. Offers to store them as secrets, so that the config file only refers
 * to them.
 */
import { sanitizeLine } from "@plugboard/contracts";
import type { FoundSecret } from "@plugboard/contracts";
import { CheckBox } from "../../components/field.tsx";

interface SecretsChoiceProps {
  readonly secrets: readonly FoundSecret[];
  /** False if the secrets stay in the definition. */
  readonly stored: boolean;
  readonly onStored: (stored: boolean) => void;
  /** The reason why secrets can't be stored. */
  readonly storeProblem: string | undefined;
  /** True if stored secrets are not encrypted. */
  readonly unencrypted: boolean;
}

export function SecretsChoice({ secrets, stored, onStored, storeProblem, unencrypted }: SecretsChoiceProps) {
  if (secrets.length === 0) return null;
  const keys = secrets.map((secret) => sanitizeLine(secret.key)).join(", ");
  const names = secrets.map((secret) => sanitizeLine(secret.name)).join(", ");
  const problem = storeProblem === undefined ? "" : `Secrets can’t be stored now: ${sanitizeLine(storeProblem)} `;
  const place = unencrypted ? " Secrets are in a file that only you can read, not encrypted." : "";
  return (
    <div className="small">
      <CheckBox checked={stored} disabled={storeProblem !== undefined} onChecked={onStored}>
        Store {keys} as {secrets.length === 1 ? "a secret" : "secrets"}
        <div className="muted">
          {stored
            ? `The config file only refers to ${names}.${place}`
            : `${problem}The config file has ${secrets.length === 1 ? "it" : "them"} in plain text.`}
        </div>
      </CheckBox>
    </div>
  );
}
