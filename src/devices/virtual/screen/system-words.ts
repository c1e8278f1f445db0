/** What a virtual phone says by itself, on its home screen, in its dialogs and on its keyboard. */

const german = {
  Back: 'Zurück',
  '{} has stopped': '{} wurde beendet',
  'Close app': 'App schließen',
  'Allow {} to use {}?': '{} erlauben, dies zu nutzen: {}?',
  'Don’t allow': 'Nicht zulassen',
  Allow: 'Zulassen',
  Clipboard: 'Zwischenablage',
  Cancel: 'Abbrechen',
  Paste: 'Einfügen',
  'No recent apps': 'Keine letzten Apps',
  'Recent apps': 'Letzte Apps',
  'Clear all': 'Alle schließen',
  Home: 'Startbildschirm',
  'Lock screen': 'Sperrbildschirm',
  'Swipe up to unlock': 'Zum Entsperren nach oben wischen',
  Keyboard: 'Tastatur',
  'Hide keyboard': 'Tastatur ausblenden',
  done: 'fertig',
  go: 'los',
  return: 'Zeile'
}

/** A text of the phone in English, with `{}` where something is put in. */
export type SystemText = keyof typeof german

/** Says a text in the language of the phone, with each `{}` replaced by the next of `parts`. */
export type SystemWords = (text: SystemText, ...parts: readonly string[]) => string

const arabic: Readonly<Record<SystemText, string>> = {
  Back: 'رجوع',
  '{} has stopped': 'توقف {}',
  'Close app': 'إغلاق التطبيق',
  'Allow {} to use {}?': 'هل تسمح لتطبيق {} باستخدام {}؟',
  'Don’t allow': 'عدم السماح',
  Allow: 'سماح',
  Clipboard: 'الحافظة',
  Cancel: 'إلغاء',
  Paste: 'لصق',
  'No recent apps': 'لا توجد تطبيقات حديثة',
  'Recent apps': 'التطبيقات الحديثة',
  'Clear all': 'إغلاق الكل',
  Home: 'الشاشة الرئيسية',
  'Lock screen': 'شاشة القفل',
  'Swipe up to unlock': 'اسحب لأعلى لإلغاء القفل',
  Keyboard: 'لوحة المفاتيح',
  'Hide keyboard': 'إخفاء لوحة المفاتيح',
  done: 'تم',
  go: 'انتقال',
  return: 'سطر'
}

const languages = new Map<string, Readonly<Record<SystemText, string>>>([['de', german], ['ar', arabic]])

/** The words of a language (`de`); English where the phone does not know it. */
export function systemWordsOf (language: string): SystemWords {
  const words = languages.get(language)
  return (text, ...parts) => {
    const left = [...parts]
    return (words?.[text] ?? text).replaceAll('{}', () => left.shift() ?? '')
  }
}
