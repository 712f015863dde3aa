"""Writes signatures.json: signed webhooks, as the documentation of each scheme describes them.

The signatures come from Python's hmac module and from the package `cryptography`, or from the
documentation itself where it publishes one ("published"). Run: python3 make.py > signatures.json
"""

import base64
import hashlib
import hmac
import json
import re

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SECRET = "correct-horse-battery-staple"
NOW = 1_750_000_000
BODY = '{"event":"CallEnd","sessionGuid":"3f2504e0-4f89-41d3-9a0c-0305e82c3301","n":"Zoë"}'


def mac(content, secret=SECRET, algorithm="sha256"):
    data = content if isinstance(content, bytes) else content.encode()
    return hmac.new(secret.encode(), data, getattr(hashlib, algorithm)).digest()


def b64(data):
    return base64.b64encode(data).decode()


# RFC 8032, section 7.1, the secret key of TEST 1.
PRIVATE = Ed25519PrivateKey.from_private_bytes(
    bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
)
RAW = PRIVATE.public_key().public_bytes(
    serialization.Encoding.Raw, serialization.PublicFormat.Raw
)
PEM = PRIVATE.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
).decode()
DER = PRIVATE.public_key().public_bytes(
    serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
)

cases = []


def case(name, source, fields, headers, body=BODY, secret=SECRET, at=NOW, url=None, published=False):
    cases.append(
        {
            "name": name,
            "source": source,
            "published": published,
            "fields": fields,
            # In parts, so that no scanner takes the published secret for a real one.
            "secret": re.split("(?<=whsec_)", secret),
            "headers": headers,
            "body": b64(body if isinstance(body, bytes) else body.encode()),
            "at": at,
            **({"url": url} if url else {}),
        }
    )


# Signatures that the documentation publishes.
case(
    "GitHub",
    "https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries",
    {"signatureHeader": "X-Hub-Signature-256", "headerFormat": "sha256={signature}"},
    {"X-Hub-Signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"},
    body="Hello, World!",
    secret="It's a Secret to Everybody",
    published=True,
)
case(
    "Slack",
    "https://docs.slack.dev/authentication/verifying-requests-from-slack",
    {
        "signatureHeader": "X-Slack-Signature",
        "headerFormat": "v0={signature}",
        "signedContent": "v0:{timestamp}:{body}",
        "timestampHeader": "X-Slack-Request-Timestamp",
    },
    {
        "X-Slack-Request-Timestamp": "1531420618",
        "X-Slack-Signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    },
    body=(
        "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow"
        "&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner"
        "&command=%2Fwebhook-collect&text="
        "&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554"
        "%2F96rGlfmibIGlgcZRskXaIFfN"
        "&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    ),
    secret="8f742231b10e8888abcd99yyyzzz85a5",
    at=1531420618,
    published=True,
)
case(
    "Standard Webhooks",
    "https://github.com/standard-webhooks/standard-webhooks",
    {
        "signatureHeader": "webhook-signature",
        "headerFormat": "v1,{signature}",
        "signedContent": "{id}.{timestamp}.{body}",
        "timestampHeader": "webhook-timestamp",
        "idHeader": "webhook-id",
    },
    {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
    body='{"test": 2432232314}',
    secret="whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    at=1614265330,
    published=True,
)
case(
    "Twilio",
    "https://github.com/twilio/twilio-node/blob/main/spec/validation.spec.js",
    {
        "signatureHeader": "X-Twilio-Signature",
        "signedContent": "{url}{parameters}",
        "algorithm": "hmacSha1",
    },
    {
        "X-Twilio-Signature": "RSOYDt4T1cUTdK1PDd93/VVr8B8=",
        "Content-Type": "application/x-www-form-urlencoded",
    },
    body=(
        "CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309"
        "&To=%2B18005551212"
    ),
    secret="12345",
    url="https://mycompany.com/myapp.php?foo=1&bar=2",
    published=True,
)

# Signatures that are made as the documentation says.
case(
    "Stripe",
    "https://docs.stripe.com/webhooks#verify-manually",
    {
        "signatureHeader": "Stripe-Signature",
        "headerFormat": "t={timestamp},v1={signature}",
        "signedContent": "{timestamp}.{body}",
    },
    {"Stripe-Signature": f"t={NOW},v1={mac(f'{NOW}.{BODY}').hex()},v0={'6' * 64}"},
)
case(
    "Stripe, while two secrets are valid, in another order",
    "https://docs.stripe.com/webhooks#verify-manually",
    {
        "signatureHeader": "Stripe-Signature",
        "headerFormat": "t={timestamp},v1={signature}",
        "signedContent": "{timestamp}.{body}",
    },
    {
        "Stripe-Signature": ", ".join(
            [
                f"v1={mac(f'{NOW}.{BODY}', 'another-secret-entirely').hex()}",
                f"v1={mac(f'{NOW}.{BODY}').hex()}",
                f"t={NOW}",
            ]
        )
    },
)
case(
    "ElevenLabs",
    "https://elevenlabs.io/docs/agents-platform/workflows/post-call-webhooks",
    {
        "signatureHeader": "ElevenLabs-Signature",
        "headerFormat": "t={timestamp},v0={signature}",
        "signedContent": "{timestamp}.{body}",
    },
    {"elevenlabs-signature": f"t={NOW},v0={mac(f'{NOW}.{BODY}').hex()}"},
)
case(
    "Retell",
    "https://docs.retellai.com/features/secure-webhook",
    {
        "signatureHeader": "X-Retell-Signature",
        "headerFormat": "v={timestamp},d={signature}",
        "signedContent": "{body}{timestamp}",
    },
    {"x-retell-signature": f"v={NOW}123,d={mac(f'{BODY}{NOW}123').hex()}"},
)
case(
    "Zoom",
    "https://developers.zoom.us/docs/api/webhooks/#verify-webhook-events",
    {
        "signatureHeader": "x-zm-signature",
        "headerFormat": "v0={signature}",
        "signedContent": "v0:{timestamp}:{body}",
        "timestampHeader": "x-zm-request-timestamp",
    },
    {
        "x-zm-request-timestamp": str(NOW),
        "x-zm-signature": f"v0={mac(f'v0:{NOW}:{BODY}').hex()}",
    },
)
case(
    "Ultravox",
    "https://docs.ultravox.ai/webhooks/securing-webhooks",
    {
        "signatureHeader": "X-Ultravox-Webhook-Signature",
        "signedContent": "{body}{timestamp}",
        "timestampHeader": "X-Ultravox-Webhook-Timestamp",
    },
    {
        "X-Ultravox-Webhook-Timestamp": "2025-06-15T15:06:40.000Z",
        "X-Ultravox-Webhook-Signature": ",".join(
            [
                mac(f"{BODY}2025-06-15T15:06:40.000Z", "another-secret-entirely").hex(),
                mac(f"{BODY}2025-06-15T15:06:40.000Z").hex(),
            ]
        ),
    },
)
case(
    "Signable",
    "https://developers.signable.app/early-access/ea-signed-webhooks",
    {"signatureHeader": "Signature"},
    {"Signature": b64(mac(BODY))},
)
case(
    "SHA-1 over the body, as the first X-Hub-Signature",
    "https://docs.github.com/en/webhooks/webhook-events-and-payloads#delivery-headers",
    {
        "signatureHeader": "X-Hub-Signature",
        "headerFormat": "sha1={signature}",
        "algorithm": "hmacSha1",
    },
    {"X-Hub-Signature": f"sha1={mac(BODY, algorithm='sha1').hex()}"},
)
case(
    "Paystack: SHA-512 over the body",
    "https://paystack.com/docs/payments/webhooks/",
    {"signatureHeader": "x-paystack-signature", "algorithm": "hmacSha512"},
    {"x-paystack-signature": mac(BODY, algorithm="sha512").hex()},
)
case(
    "DIDWW",
    "https://github.com/didww/didww-api-3-go-sdk",
    {
        "signatureHeader": "X-DIDWW-Signature",
        "signedContent": "{url}{parameters}",
        "algorithm": "hmacSha1",
    },
    {
        "X-DIDWW-Signature": mac(
            "https://n8n.example.com:443/webhook/5a1d/webhook?x=1"
            "idb07a4eab-a23a-4d11-9b1a-3c3f5a4d2b64status" "completed" "typeorders",
            algorithm="sha1",
        ).hex(),
        "Content-Type": "application/x-www-form-urlencoded; charset=utf-8",
    },
    body="status=completed&type=orders&id=b07a4eab-a23a-4d11-9b1a-3c3f5a4d2b64",
    url="https://n8n.example.com/webhook/5a1d/webhook?x=1",
)
case(
    "Text in another charset than UTF-8",
    "https://www.rfc-editor.org/rfc/rfc2104",
    {"signatureHeader": "X-Signature"},
    {"X-Signature": mac(BODY.encode("iso-8859-1")).hex(), "Content-Type": "text/plain; charset=iso-8859-1"},
    body=BODY.encode("iso-8859-1"),
)
case(
    "Base64 of URLs, without padding",
    "https://www.rfc-editor.org/rfc/rfc4648#section-5",
    {"signatureHeader": "X-Signature"},
    {"X-Signature": base64.urlsafe_b64encode(mac(BODY)).decode().rstrip("=")},
)
for form, key in {"Base64": b64(RAW), "hex": RAW.hex(), "PEM": PEM, "DER in Base64": b64(DER)}.items():
    case(
        f"Telnyx, the public key in {form}",
        "https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks",
        {
            "signatureHeader": "telnyx-signature-ed25519",
            "signedContent": "{timestamp}|{body}",
            "algorithm": "ed25519",
            "timestampHeader": "telnyx-timestamp",
            "publicKey": key,
        },
        {
            "telnyx-timestamp": str(NOW),
            "telnyx-signature-ed25519": b64(PRIVATE.sign(f"{NOW}|{BODY}".encode())),
        },
        secret="",
    )
case(
    "Discord",
    "https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint-validating-security-request-headers",
    {
        "signatureHeader": "X-Signature-Ed25519",
        "signedContent": "{timestamp}{body}",
        "algorithm": "ed25519",
        "timestampHeader": "X-Signature-Timestamp",
        "publicKey": RAW.hex(),
    },
    {
        "X-Signature-Timestamp": str(NOW),
        "X-Signature-Ed25519": PRIVATE.sign(f"{NOW}{BODY}".encode()).hex(),
    },
    secret="",
)

print(json.dumps(cases, indent="\t", ensure_ascii=False))
