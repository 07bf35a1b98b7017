/** Says who is asked for permission, because a call of the client is denied if nobody is there to answer. */
export const NEEDS_PERMISSION_NOTE =
  "Calls that no rule allows ask you, and are denied if nobody watches: keep `plugboard inbox --watch` or `plugboard serve` open in a terminal, or allow tools with `plugboard permissions allow <rule>`, or use a token of `plugboard token create <name> --may-approve` if the client itself asks you before its calls.";
