/** A field for a number. Other text stays as it was typed, so that the form can say what is wrong with it. */
import { useState } from "react";
import type { InputHTMLAttributes } from "react";
import { TextInput } from "./field.tsx";

export interface NumberLimits {
  readonly integer?: boolean;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
}

interface NumberProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "value"> {
  /** Undefined if the field is empty, and a text if its content is not a number. */
  readonly value: number | string | undefined;
  readonly onValue: (value: number | string | undefined) => void;
}

export function NumberInput({ value, onValue, ...rest }: NumberProps) {
  // Several texts stand for one number, such as `1`, `1.` and `1.0`. The field keeps the text that the user has typed.
  const [typed, setTyped] = useState("");
  const text = parseNumber(typed) === value ? typed : String(value ?? "");
  return (
    <TextInput
      {...rest}
      inputMode="decimal"
      value={text}
      onValue={(changed) => {
        setTyped(changed);
        onValue(parseNumber(changed));
      }}
    />
  );
}

/** Returns the text itself if it is not a number, and undefined if it is empty. */
export function parseNumber(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : text;
}

/** Says what is wrong with the value of a number field. Undefined if it is valid or absent. */
export function numberProblem(value: unknown, { integer, minimum, maximum }: NumberLimits): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number") return "This is not a number.";
  if (integer && !Number.isInteger(value)) return "This is not a whole number.";
  if (minimum !== undefined && value < minimum) return `The number must be at least ${minimum}.`;
  if (maximum !== undefined && value > maximum) return `The number must be at most ${maximum}.`;
  return undefined;
}
