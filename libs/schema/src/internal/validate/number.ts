import { asInt64, isInt64, printFloat, printNumber } from '../go-text.ts';
import type { NumberChecks } from '../node.ts';
import { composite, finding } from './result.ts';
import type { Result } from './result.ts';

/** Range of type and format, then `multipleOf`, `minimum` and `maximum`, as kube-openapi's `numberValidator` does it. */
export function validateNumber(checks: NumberChecks, value: number, name: string, result: Result): void {
  const outside = rangeError(checks, value, 'Checked', name);
  if (outside !== undefined) result.add(composite(outside));
  const { multipleOf, minimum, maximum } = checks;
  if (multipleOf !== undefined)
    bound(checks, 'MultipleOf', multipleOf, () => checkMultiple(checks, value, name, result));
  if (minimum !== undefined)
    bound(checks, 'Minimum boundary', minimum, () => checkMinimum(checks, value, name, result));
  if (maximum !== undefined)
    bound(checks, 'Maximum boundary', maximum, () => checkMaximum(checks, value, name, result));

  function bound(of: NumberChecks, title: string, limit: number, check: () => void): void {
    const unfit = rangeError(of, limit, title, name);
    if (unfit !== undefined) result.add(composite(unfit));
    check();
  }
}

/** The words of `IsValueValidAgainstRange` when the value is not of the type and format. */
function rangeError(checks: NumberChecks, value: number, title: string, name: string): string | undefined {
  const fits =
    checks.type === 'integer'
      ? checks.format === 'int32'
        ? Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31
        : isInt64(value)
      : checks.format !== 'float' || Math.abs(value) <= 3.4028235677973366e38;
  if (fits) return undefined;
  const format = checks.format === '' ? '(default format)' : `with format ${checks.format}`;
  return `${title} value must be of type ${checks.type} ${format} in ${name}`;
}

/** For an integer value the API server cuts the bound to an integer, unless the bound does not fit the type. */
function nativeBound(checks: NumberChecks, value: number, limit: number): number {
  return isInt64(value) && rangeError(checks, limit, '', '') === undefined ? Math.trunc(limit) : limit;
}

/** Below 0, 0 or above, by what Go has on both sides: an int64 of JSON's digits, and a bound that is a float64. */
function compare(value: number, limit: number): number {
  const whole = Number.isSafeInteger(value) ? undefined : asInt64(value);
  if (whole === undefined || !Number.isInteger(limit)) return value - limit;
  return Number(whole - BigInt(limit));
}

/** Beside an int64 the bound is one too; beside a float64 it is printed as such. */
function printBound(limit: number, value: number): string {
  return isInt64(value) && Number.isInteger(limit) && Math.abs(limit) <= 2 ** 63
    ? BigInt(limit).toString()
    : printFloat(limit);
}

function checkMaximum(checks: NumberChecks, value: number, name: string, result: Result): void {
  const limit = nativeBound(checks, value, checks.maximum ?? Infinity);
  const order = compare(value, limit);
  if (checks.exclusiveMaximum ? order < 0 : order <= 0) return;
  const words = checks.exclusiveMaximum ? 'less than' : 'less than or equal to';
  result.add(
    finding(name, 'FieldValueInvalid', `${name} in body should be ${words} ${printBound(limit, value)}`, value),
  );
}

function checkMinimum(checks: NumberChecks, value: number, name: string, result: Result): void {
  const limit = nativeBound(checks, value, checks.minimum ?? -Infinity);
  const order = compare(value, limit);
  if (checks.exclusiveMinimum ? order > 0 : order >= 0) return;
  const words = checks.exclusiveMinimum ? 'greater than' : 'greater than or equal to';
  result.add(
    finding(name, 'FieldValueInvalid', `${name} in body should be ${words} ${printBound(limit, value)}`, value),
  );
}

function checkMultiple(checks: NumberChecks, value: number, name: string, result: Result): void {
  const factor = nativeBound(checks, value, checks.multipleOf ?? 1);
  if (factor <= 0) {
    const text = `factor MultipleOf declared for ${name} must be positive: ${printNumber(factor)}`;
    result.add(finding(name, 'FieldValueInvalid', text, factor));
    return;
  }
  const quotient =
    isInt64(value) && Number.isInteger(factor) ? value / factor : factor < 1 ? (1 / factor) * value : value / factor;
  if (isNearInteger(quotient)) return;
  result.add(
    finding(name, 'FieldValueInvalid', `${name} in body should be a multiple of ${printNumber(factor)}`, value),
  );
}

/** Whole, up to the rounding errors of a float64 (`IsFloat64AJSONInteger` of go-openapi/swag 0.23). */
export function isNearInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  return value === whole || (whole > 0 && (value - whole) / (value + whole) < 1e-9);
}
