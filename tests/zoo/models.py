# SPDX-License-Identifier: Apache-2.0
"""The zoo: name -> function returning an Entry. What once ran stays, whether it exports or not."""

from functools import partial

from audio import AUDIO
from common import from_timm, from_torchvision, image, optical_flow, segmentation, video
from language import TRANSFORMERS
from other import OTHER
from quantised import QUANTISED
from vision import VISION

TORCHVISION = """
    resnet18 mobilenet_v3_small efficientnet_b0 densenet121 vit_b_16 swin_t convnext_tiny
    alexnet squeezenet1_1 shufflenet_v2_x0_5 mobilenet_v2 mnasnet1_0
    regnet_x_400mf resnext50_32x4d efficientnet_v2_s swin_v2_t maxvit_t""".split()
SEGMENTATION = ["fcn_resnet50", "deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large"]
VIDEO = ["r3d_18", "mc3_18", "r2plus1d_18"]
TIMM = """
    deit_tiny_patch16_224 mixer_s32_224
    resnetv2_50x1_bit seresnext26t_32x4d ecaresnet26t gcresnext26ts bat_resnext26ts resnetblur18
    skresnet18 res2net50_14w_8s resnest14d botnet26t_256 halonet26t lambda_resnet26t
    regnety_002 regnetz_005 nf_regnet_b0 eca_nfnet_l0 mixnet_s fbnetc_100 hardcorenas_a lcnet_050
    mobilenetv4_conv_small mobilenetv4_hybrid_medium ghostnet_050 ghostnetv2_100 rexnet_100
    hrnet_w18_small dla34 ese_vovnet19b_slim cspresnet50 cs3darknet_s dpn68 selecsls42b tresnet_m
    inception_v4 inception_resnet_v2 xception41 pnasnet5large rdnet_tiny
    repvgg_a0 mobileone_s0 repghostnet_050 repvit_m0_9 hgnetv2_b0 starnet_s1 fasternet_t0
    convnextv2_atto convmixer_768_32 inception_next_atto mambaout_femto poolformer_s12 caformer_s18
    resmlp_12_224 gmlp_ti16_224 sequencer2d_s
    beit_base_patch16_224 cait_xxs24_224 xcit_nano_12_p16_224 crossvit_tiny_240 convit_tiny pit_ti_224
    tnt_s_patch16_224 volo_d1_224 vit_relpos_small_patch16_224 eva02_tiny_patch14_224 hiera_tiny_224
    coat_lite_tiny coatnet_nano_rw_224 levit_128s twins_svt_small pvt_v2_b0 nest_tiny visformer_tiny
    mvitv2_tiny davit_tiny focalnet_tiny_srf gcvit_xxtiny tiny_vit_5m_224
    mobilevit_xxs mobilevitv2_050 fastvit_t8 edgenext_xx_small efficientformer_l1 efficientformerv2_s0
    efficientvit_b0 efficientvit_m0 swiftformer_xs shvit_s1""".split()

MODELS = {
    **{name: partial(from_torchvision, name) for name in TORCHVISION},
    # Without the heads for training, which scripted files would return.
    "googlenet": partial(from_torchvision, "googlenet", aux_logits=False),
    "inception_v3": partial(from_torchvision, "inception_v3", partial(image, 299), aux_logits=False),
    **{name: partial(segmentation, name) for name in SEGMENTATION},
    **{name: partial(from_torchvision, name, video) for name in VIDEO},
    "s3d": partial(from_torchvision, "s3d", partial(video, 16, 224)),
    "mvit_v2_s": partial(from_torchvision, "mvit_v2_s", partial(video, 16, 224)),
    "swin3d_t": partial(from_torchvision, "swin3d_t", partial(video, 8, 112)),
    "raft_small": optical_flow,
    **{name: partial(from_timm, name) for name in TIMM},
    **VISION,
    **TRANSFORMERS,
    **AUDIO,
    **OTHER,
    **QUANTISED,
}
