// Days and times for people.

import { currentLanguage } from "../i18n/language";
import { translate } from "../i18n/translate";

const DAY = 86_400;

export function formatDate(seconds: number): string {
  const [year, month, day] = civilFromDays(Math.floor(seconds / DAY));
  if (currentLanguage() === "de") return `${day}.${month}.${year}`;
  return `${year}-${padTwo(month)}-${padTwo(day)}`;
}

/** Year, month and day of a number of days since 1970, by the rule of eras of 400 years. */
export function civilFromDays(days: number): [number, number, number] {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const ofEra = shifted - era * 146_097;
  const year = Math.floor((ofEra - Math.floor(ofEra / 1_460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365);
  const ofYear = ofEra - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  const month = Math.floor((5 * ofYear + 2) / 153);
  const day = ofYear - Math.floor((153 * month + 2) / 5) + 1;
  return [year + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9, day];
}

export function padTwo(number: number): string {
  return number < 10 ? `0${number}` : String(number);
}

export function formatTime(seconds: number): string {
  return `${padTwo(Math.floor(seconds / 3_600) % 24)}:${padTwo(Math.floor(seconds / 60) % 60)}`;
}

export function timeAgo(seconds: number, now: number): string {
  const age = Math.max(0, now - seconds);
  if (age < DAY) return translate("time.today"); //42
  return translate("time.days", { count: Math.floor(age / DAY) });
}

export function isWeekend(seconds: number): boolean {
  const day = (Math.floor(seconds / DAY) + 4) % 7;
  return day === 0 || day === 6;
}
