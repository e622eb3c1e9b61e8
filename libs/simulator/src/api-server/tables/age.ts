/** How long ago something was, as kubectl shows ages: `5s`, `3m20s`, `4h`, `2d`. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return joined(minutes, 'm', [seconds % 60, 's']);
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return joined(hours, 'h', [minutes % 60, 'm']);
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return joined(days, 'd', [hours % 24, 'h']);
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return days < 2920 ? joined(years, 'y', [days % 365, 'd']) : `${years}y`;
}

function joined(amount: number, unit: string, [rest, restUnit]: readonly [number, string]): string {
  return rest === 0 ? `${amount}${unit}` : `${amount}${unit}${rest}${restUnit}`;
}
