import { createCanvas, type Canvas } from '@napi-rs/canvas'
import type { Rect } from '../../device-types.ts'
import type { PhoneProfile } from '../phone/phone-profile.ts'
import { isVisible, type Box } from '../screen/box.ts'
import type { Screen } from '../screen/composed-screen.ts'
import { drawPaint, type Brush } from './draw-paint.ts'
import { registerFonts, textFont } from './fonts.ts'
import { themeOf, wallpaperOf } from './theme.ts'

/** Draws a screen, `width` pixels wide. Everything is placed in device pixels and scaled. */
export function drawScreen (screen: Screen, { profile, width, time }: {
  readonly profile: PhoneProfile
  readonly width: number
  readonly time: string
}): Canvas {
  registerFonts()
  const scale = width / screen.size.width
  const canvas = createCanvas(width, Math.max(1, Math.round(screen.size.height * scale)))
  const context = canvas.getContext('2d')
  const brush: Brush = { context, theme: themeOf(profile.platform, screen.isDark), density: profile.density, time, isMirrored: screen.isMirrored }
  context.scale(scale, scale)
  drawBackdrop(screen, profile, brush)
  if (screen.backdrop === 'off') return canvas

  for (const layer of screen.layers) {
    if (layer.hasScrim) fill({ x: 0, y: 0, ...screen.size }, brush.theme.scrim, brush)
    for (const box of layer.boxes) drawBox(box, { x: 0, y: 0, ...screen.size }, brush)
  }
  drawSystemBars(screen, profile, brush)
  return canvas
}

function drawBackdrop ({ backdrop, size, isDark }: Screen, { platform }: PhoneProfile, brush: Brush): void {
  const whole = { x: 0, y: 0, ...size }
  if (backdrop === 'off') return fill(whole, '#000000', brush)
  if (backdrop === 'app') return fill(whole, brush.theme.background, brush)
  const gradient = brush.context.createLinearGradient(0, 0, 0, size.height)
  const [top, bottom] = wallpaperOf(platform, isDark)
  gradient.addColorStop(0, top)
  gradient.addColorStop(1, bottom)
  fill(whole, gradient, brush)
}

function drawBox (box: Box, clip: Rect, brush: Brush): void {
  if (!isVisible(box)) return
  for (const paint of box.paints) drawPaint(paint, box.rect, clip, brush)
  if (box.scroll === undefined) {
    for (const child of box.children) drawBox(child, clip, brush)
    return
  }
  const { context } = brush
  context.save()
  context.beginPath()
  context.rect(box.visible.x, box.visible.y, box.visible.width, box.visible.height)
  context.clip()
  for (const child of box.children) drawBox(child, box.visible, brush)
  context.restore()
  drawScrollBar(box, brush)
}

function drawScrollBar ({ rect, scroll }: Box, { context, density, isMirrored }: Brush): void {
  if (scroll === undefined || scroll.furthest === 0) return
  const length = Math.max(rect.height * rect.height / (rect.height + scroll.furthest), 24 * density)
  const y = rect.y + (rect.height - length) * (scroll.offset / scroll.furthest)
  context.fillStyle = 'rgba(90, 92, 110, 0.4)'
  context.beginPath()
  context.roundRect(isMirrored ? rect.x + 2 * density : rect.x + rect.width - 5 * density, y, 3 * density, length, 1.5 * density)
  context.fill()
}

// Time, radio and battery above; the handle for the home gesture below.
function drawSystemBars (screen: Screen, profile: PhoneProfile, brush: Brush): void {
  const { context, theme, density, time, isMirrored } = brush
  const { width, height } = screen.size
  const bar = profile.statusBar[screen.orientation] * density
  const color = screen.backdrop === 'wallpaper' ? theme.onWallpaper : theme.text
  const middle = bar * (screen.orientation === 'portrait' && profile.platform === 'ios' ? 0.56 : 0.54)
  const margin = (profile.platform === 'ios' ? 34 : 20) * density
  context.fillStyle = color
  context.font = textFont((profile.platform === 'ios' ? 16 : 13.5) * density, true)
  context.textAlign = isMirrored ? 'right' : 'left'
  context.textBaseline = 'middle'
  context.fillText(time, isMirrored ? width - margin : margin, middle)
  const radio = isMirrored ? margin : width - margin - 52 * density
  drawSignal(radio, middle, brush)
  drawBattery(radio + 27 * density, middle, color, brush)
  if (profile.platform === 'ios' && screen.orientation === 'portrait') {
    context.fillStyle = '#000000'
    context.beginPath()
    context.roundRect(width / 2 - 62 * density, 11 * density, 124 * density, 35 * density, 18 * density)
    context.fill()
  }
  context.fillStyle = color
  context.beginPath()
  context.roundRect(width / 2 - 62 * density, height - 10 * density, 124 * density, 4.5 * density, 2.5 * density)
  context.fill()
}

function drawSignal (x: number, middle: number, { context, density }: Brush): void {
  for (let bar = 0; bar < 4; bar += 1) {
    const height = (4 + bar * 2.6) * density
    context.beginPath()
    context.roundRect(x + bar * 5 * density, middle + 6 * density - height, 3.4 * density, height, 1 * density)
    context.fill()
  }
}

function drawBattery (x: number, middle: number, color: string, { context, density }: Brush): void {
  context.strokeStyle = color
  context.lineWidth = 1.2 * density
  context.beginPath()
  context.roundRect(x, middle - 6 * density, 22 * density, 12 * density, 3.5 * density)
  context.stroke()
  context.beginPath()
  context.roundRect(x + 2 * density, middle - 4 * density, 18 * density, 8 * density, 2 * density)
  context.roundRect(x + 23 * density, middle - 2 * density, 1.8 * density, 4 * density, 1 * density)
  context.fill()
}

function fill ({ x, y, width, height }: Rect, style: string | CanvasGradient, { context }: Brush): void {
  context.fillStyle = style
  context.fillRect(x, y, width, height)
}

type CanvasGradient = ReturnType<Brush['context']['createLinearGradient']>
