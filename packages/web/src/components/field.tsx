/** The controls of forms, and the label, hint and error around a control. */
import { useId } from "react";
import { sanitize, sanitizeLine } from "@plugboard/contracts";
import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from "react";

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly required?: boolean;
  /** Gets the attributes that connect the control with its label and hint. */
  readonly children: (attributes: ControlAttributes) => ReactNode;
}

interface ControlAttributes {
  readonly id: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: true;
  readonly "aria-required"?: true;
}

export function Field({ label, hint, error, required = false, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const hasHint = hint !== undefined || error !== undefined;
  return (
    <div className="field">
      <div>
        <label className="field-label" htmlFor={id}>
          {label}
        </label>
        {required && (
          <span className="field-required" aria-hidden="true">
            {" *"}
          </span>
        )}
      </div>
      {children({
        id,
        ...(required && { "aria-required": true }),
        ...(hasHint && { "aria-describedby": hintId }),
        ...(error !== undefined && { "aria-invalid": true }),
      })}
      {hasHint && (
        <div id={hintId} className="small muted">
          {error !== undefined && <span className="field-required">{error} </span>}
          {hint}
        </div>
      )}
    </div>
  );
}

/**
 * Adds the hidden characters of a value to its hint. A field itself can't mark them, because its value is sent as it
 * is.
 */
export function withHidden(hint: ReactNode, value: unknown): ReactNode {
  if (typeof value !== "string" || sanitize(value) === value) return hint;
  return (
    <>
      {hint} <span className="danger-text">Hidden characters: {sanitizeLine(value)}</span>
    </>
  );
}

interface TextProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "value"> {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly code?: boolean;
}

export function TextInput({ value, onValue, code = false, ...rest }: TextProps) {
  const classes = code ? "input input-code" : "input";
  return (
    <input
      className={classes}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onValue(event.target.value)}
      {...rest}
    />
  );
}

interface AreaProps extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "onChange" | "value"> {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly code?: boolean;
}

export function TextArea({ value, onValue, code = false, ...rest }: AreaProps) {
  return (
    <textarea
      className={code ? "input input-code" : "input"}
      spellCheck={false}
      value={value}
      onChange={(event) => onValue(event.target.value)}
      {...rest}
    />
  );
}

interface SelectProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, "onChange" | "value"> {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
}

export function Select({ value, onValue, choices, ...rest }: SelectProps) {
  return (
    <select className="input" value={value} onChange={(event) => onValue(event.target.value)} {...rest}>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}

interface CheckProps {
  readonly checked: boolean;
  readonly onChecked: (checked: boolean) => void;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

export function CheckBox({ checked, onChecked, disabled = false, children }: CheckProps) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChecked(event.target.checked)}
      />
      <span>{children}</span>
    </label>
  );
}

/** `label` says what is switched on and off. */
export function Switch({
  checked,
  onChecked,
  label,
  disabled = false,
}: Omit<CheckProps, "children"> & { readonly label: string }) {
  return (
    <button
      type="button"
      role="switch"
      className="switch"
      aria-checked={checked}
      aria-label={label}
      disabled={disabled}
      onClick={() => onChecked(!checked)}
    />
  );
}
