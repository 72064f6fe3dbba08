// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.report;

import java.util.Locale;

/**
 * Draws charts, readable on light and dark pages. The scale is logarithmic where bars of
 * very different lengths could not be told apart otherwise.
 */
public final class SvgWriter {

	private static final int WIDTH = 860;

	private static final int LABELS = 270;

	/** In characters; longer ones are narrowed, or their beginning would be cut. */
	private static final int LONGEST_LABEL = 38;

	private static final int VALUES = 90;

	private static final int PLOT = WIDTH - LABELS - VALUES;

	private static final int BAR = 18;

	private static final int GROUP = 30;

	private static final int HEAD = 56;

	private static final double WIDEST_LINEAR = 500;

	private SvgWriter() {
	}

	/**
	 * Draws a chart.
	 * @param chart the chart
	 * @return the text of an SVG file
	 */
	public static String write(Chart chart) {
		int height = HEAD + chart.groups().stream().mapToInt((group) -> GROUP + group.bars().size() * BAR).sum() + 24;
		Scale scale = Scale.of(chart);
		StringBuilder svg = new StringBuilder(4096);
		add(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
				+ "font-family=\"sans-serif\" font-size=\"12\">", WIDTH, height, WIDTH, height);
		add(svg, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>", WIDTH, height);
		text(svg, 12, 22, "font-size=\"15\" font-weight=\"bold\"", chart.title());
		text(svg, 12, 42, "fill=\"#555555\"", chart.axis() + (scale.logarithmic() ? ", logarithmic" : ""));
		if (scale.logarithmic()) {
			decades(svg, scale, height);
		}
		int y = HEAD;
		for (Chart.Group group : chart.groups()) {
			y += GROUP;
			text(svg, 12, y - 8, "font-weight=\"bold\" fill=\"#333333\"", group.label());
			for (Chart.Bar bar : group.bars()) {
				bar(svg, bar, y, scale);
				y += BAR;
			}
		}
		if (chart.reference() > 0) {
			double x = scale.x(chart.reference());
			add(svg, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#888888\" stroke-dasharray=\"4 3\"/>",
					x, HEAD, x, height - 20);
		}
		return svg.append("</svg>\n").toString();
	}

	private static void decades(StringBuilder svg, Scale scale, int height) {
		for (double decade = scale.base(); decade <= scale.greatest(); decade *= 10) {
			double x = scale.x(decade);
			add(svg, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#e3e3e3\"/>", x, HEAD, x, height - 20);
			text(svg, x, height - 6, "text-anchor=\"middle\" fill=\"#555555\"", decade(decade));
		}
	}

	private static String decade(double value) {
		return (value < 1) ? String.valueOf(value) : String.format(Locale.ROOT, "%,.0f", value);
	}

	private static void bar(StringBuilder svg, Chart.Bar bar, int y, Scale scale) {
		String fit = (bar.label().length() > LONGEST_LABEL)
				? " textLength=\"" + (LABELS - 12) + "\" lengthAdjust=\"spacingAndGlyphs\"" : "";
		text(svg, LABELS - 8, y + 13, "text-anchor=\"end\"" + fit, bar.label());
		add(svg, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", LABELS, y + 2,
				Math.max(1, scale.x(bar.value()) - LABELS), BAR - 5, bar.own() ? "#c0392b" : "#7f9cb5");
		double middle = y + 2 + (BAR - 5) / 2.0;
		add(svg, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#222222\"/>", scale.x(bar.low()),
				middle, scale.x(bar.high()), middle);
		text(svg, scale.x(Math.max(bar.high(), bar.value())) + 6, y + 13, "fill=\"#333333\"", number(bar.value()));
	}

	private static String number(double value) {
		return String.format(Locale.ROOT, (value < 10) ? "%.2f" : "%,.0f", value);
	}

	private static void text(StringBuilder svg, double x, double y, String attributes, String text) {
		add(svg, "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>", x, y, attributes, escape(text));
	}

	private static String escape(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
	}

	private static void add(StringBuilder svg, String format, Object... arguments) {
		svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
	}

	/**
	 * Where values are drawn.
	 *
	 * @param base the value at the left end
	 * @param greatest the value at the right end
	 */
	private record Scale(double base, double greatest, boolean logarithmic) {

		static Scale of(Chart chart) {
			double greatest = chart.reference();
			double least = Double.MAX_VALUE;
			for (Chart.Group group : chart.groups()) {
				for (Chart.Bar bar : group.bars()) {
					greatest = Math.max(greatest, Math.max(bar.value(), bar.high()));
					least = (bar.value() > 0) ? Math.min(least, bar.value()) : least;
				}
			}
			if (greatest > WIDEST_LINEAR * least) {
				return new Scale(Math.pow(10, Math.floor(Math.log10(least))), greatest, true);
			}
			return new Scale(0, (greatest > 0) ? greatest : 1, false);
		}

		double x(double value) {
			double share = this.logarithmic
					? Math.log(Math.max(value, this.base) / this.base) / Math.log(this.greatest / this.base)
					: value / this.greatest;
			return LABELS + PLOT * share;
		}

	}

}
