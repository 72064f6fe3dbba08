// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.util.zip.GZIPOutputStream;

import io.ge.redis.web.IdempotentExchangeContract.Sale;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/**
 * What handlers answer with, whatever the server is and whenever they do: the number says
 * which effect an answer is of.
 */
final class ExchangedSales {

	private ExchangedSales() {
	}

	static Sale sale(int number) {
		return new Sale(number, new BigDecimal("1.50"));
	}

	static ResponseEntity<Sale> created(int number) {
		return ResponseEntity.created(URI.create("/sales/" + number))
			.eTag("\"" + number + "\"")
			.header("Link", "</sales>; rel=\"collection\"", "</>; rel=\"up\"")
			.header("Set-Cookie", "a=b")
			.header("X-Cost", "3")
			.body(sale(number));
	}

	static ResponseEntity<byte[]> bytes(int number) {
		return ResponseEntity.ok().contentType(MediaType.IMAGE_PNG).body(new byte[] { 0, (byte) 0xff, (byte) number });
	}

	static ResponseEntity<byte[]> zipped(int number) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
			zip.write(number);
		}
		return ResponseEntity.ok().header("Content-Encoding", "gzip").body(bytes.toByteArray());
	}

	static ResponseEntity<Resource> file(int number) {
		return ResponseEntity.ok()
			.header("Content-Disposition", "attachment; filename=\"a.bin\"")
			.contentType(MediaType.APPLICATION_OCTET_STREAM)
			.body(new ByteArrayResource(new byte[] { 1, 2, (byte) number }));
	}

	static HttpEntity<String> entity(int number) {
		return new HttpEntity<>("entity " + number, new HttpHeaders());
	}

}
